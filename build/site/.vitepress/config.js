/** The site: make.ts has written its pages and what is said here of them. */
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../links.ts';

const site = JSON.parse(readFileSync(new URL('../.pages/site.json', import.meta.url), 'utf8'));

export default defineConfig({
  title: 'Turnsole',
  description: 'Chaos engineering for Kubernetes: with LitmusChaos manifests, and without a cluster',
  lang: 'en',
  base: site.base,
  srcDir: '.pages',
  cleanUrls: true,
  markdown: {
    html: false,
    anchor: { slugify: anchorOf },
    attrs: { disable: true },
    config: (md) => {
      const { rules } = md.renderer;
      // Double braces are text here, and no expression of Vue.
      for (const name of ['text', 'code_inline']) {
        const rule = rules[name];
        rules[name] = (...args) => rule(...args).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  themeConfig: {
    sidebar: site.sidebar,
    nav: [
      { text: 'First steps', link: '/first-steps' },
      { text: 'Faults', link: '/faults' },
      { text: 'Reference', link: '/reference/' },
      { text: site.version, link: site.changelog },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
});
