export default {
  title: 'Host',
  url: 'http://127.0.0.1',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  presets: [['classic', { docs: { routeBasePath: '/', sidebarPath: './sidebars.js' }, blog: false }]],
  themeConfig: { navbar: { title: 'Host' } },
  @{setting}
};
