export default { title: 'Host', root: 'src', search: false, pages: [{ name: 'A figure', path: '/figure' }] };
