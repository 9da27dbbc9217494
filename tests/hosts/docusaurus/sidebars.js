export default { docs: ['index', 'figure'] };
