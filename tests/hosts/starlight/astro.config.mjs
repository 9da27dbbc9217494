import { defineConfig } from 'astro/config';
import starlight from '@astrojs/starlight';

export default defineConfig({
  site: 'http://127.0.0.1',
  integrations: [starlight({ title: 'Host', pagefind: false, sidebar: [{ label: 'A figure', slug: 'figure' }] })],
});
