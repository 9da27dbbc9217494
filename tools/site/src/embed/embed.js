// For pages that show figures of The Memory Wall: gives each frame the height of its figure, and makes <memory-wall> elements.
// It speaks only with the frames that it looks after, and only about figures: see docs/embedding.md.
(() => {
  'use strict';
  // Each snippet brings this script; the first does the work of all.
  if (window.memoryWallUpgrade) return window.memoryWallUpgrade();
  const base = new URL('embed/', document.currentScript.src);
  const frames = new Set();
  // Hosts lead from http to https, and from one name of theirs to another.
  const site = (address) => new URL(address).host.replace(/^www\./, '');
  const hello = (frame) => frame.contentWindow?.postMessage({ mw: 1, type: 'hello' }, '*');
  const adopt = (frame) => {
    if (frames.has(frame)) return;
    frames.add(frame);
    frame.addEventListener('load', () => hello(frame));
    hello(frame);
  };
  addEventListener('message', ({ data, origin, source }) => {
    if (data?.mw !== 1 || typeof data.type !== 'string') return;
    for (const frame of frames) {
      // One that is taken out may come back.
      if (frame.isConnected && frame.contentWindow === source && (origin === 'null' || site(origin) === site(frame.src))) {
        if (data.height > 0 && data.height < 20000) frame.style.height = `${data.height}px`;
        frame.dispatchEvent(new CustomEvent('memory-wall', { bubbles: true, detail: data }));
      }
    }
  });
  const upgrade = () => document.querySelectorAll('iframe[data-memory-wall]').forEach(adopt);
  window.memoryWallUpgrade = upgrade;
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', upgrade);
  upgrade();
  // What a link can say; every other attribute is the element's own.
  const KEYS = '{{keys}}'.split(' ');
  const FIGURES = '{{figures}}'.split(' ');
  customElements.get('memory-wall') ||
    customElements.define(
      'memory-wall',
      class extends HTMLElement {
        connectedCallback() {
          // While the page is being read, what stands in the element is still to come.
          if (document.readyState === 'loading') addEventListener('DOMContentLoaded', () => this.show());
          else this.show();
        }
        show() {
          const figure = this.getAttribute('figure') ?? '';
          // What is no figure keeps what stands in the element.
          if (this.frame || !FIGURES.includes(figure)) return;
          const url = new URL(`${figure}.html`, base);
          for (const { name, value } of this.attributes) if (KEYS.includes(name)) url.searchParams.set(name, value);
          this.frame = Object.assign(document.createElement('iframe'), { src: url, title: this.title || this.textContent.trim() || figure, loading: 'lazy' });
          this.frame.style.cssText = `display:block;width:100%;border:0;height:${Number(this.getAttribute('height')) || 480}px`;
          this.replaceChildren(this.frame);
          adopt(this.frame);
        }
      },
    );
})();
