export default {
  title: 'Host',
  themeConfig: { sidebar: [{ text: 'A figure', link: '/figure' }] },
  @{setting}
};
