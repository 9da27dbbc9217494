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
  const say = (frame, message) => frame.contentWindow?.postMessage({ mw: 1, ...message }, '*');

  // Colours: a figure whose link names none is light or dark as what lies behind it. Hosts have toggles of their own.
  const night = matchMedia('(prefers-color-scheme: dark)');
  const pixel = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  /** Whether a colour is a dark one; nothing of one that lets much shine through. */
  const isDark = (colour) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = pixel.getImageData(0, 0, 1, 1).data;
    return opacity < 128 ? undefined : 0.3 * red + 0.6 * green + 0.1 * blue < 128;
  };
  const behind = (frame) => {
    for (let at = frame.parentElement; at; at = at.parentElement) {
      const dark = isDark(getComputedStyle(at).backgroundColor);
      if (dark !== undefined) return dark;
    }
    // What the browser paints where the page paints nothing.
    const { colorScheme } = getComputedStyle(document.documentElement);
    return colorScheme.includes('dark') && (!colorScheme.includes('light') || night.matches);
  };
  const paint = (frame) => {
    if (!frame.isConnected || new URL(frame.src).searchParams.has('theme')) return;
    say(frame, { type: 'theme', value: behind(frame) ? 'dark' : 'light' });
  };
  let painting;
  /** Now, and once more when colours have faded into each other. */
  const repaint = () => {
    frames.forEach(paint);
    clearTimeout(painting);
    painting = setTimeout(() => frames.forEach(paint), 600);
  };

  const greet = (frame) => {
    say(frame, { type: 'hello' });
    paint(frame);
  };
  const adopt = (frame) => {
    if (frames.has(frame)) return;
    frames.add(frame);
    frame.addEventListener('load', () => greet(frame));
    greet(frame);
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
  // Hosts build pages in the browser, and put one in the place of another without loading it.
  new MutationObserver(upgrade).observe(document, { subtree: true, childList: true, attributeFilter: ['data-memory-wall'] });
  const watch = () => {
    for (const place of [document.documentElement, document.body]) new MutationObserver(repaint).observe(place, { attributes: true });
    repaint();
  };
  night.addEventListener('change', repaint);
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', watch);
  else watch();
  upgrade();
  // What a link can say; every other attribute is the element's own.
  const KEYS = '{{keys}}'.split(' ');
  const FIGURES = '{{figures}}'.split(' ');
  customElements.get('memory-wall') ||
    customElements.define(
      'memory-wall',
      class extends HTMLElement {
        static observedAttributes = ['figure', ...KEYS];
        connectedCallback() {
          // While the page is being read, what stands in the element is still to come.
          if (document.readyState === 'loading') addEventListener('DOMContentLoaded', () => this.show());
          else this.show();
        }
        attributeChangedCallback() {
          if (this.frame) this.show();
        }
        show() {
          const figure = this.getAttribute('figure') ?? '';
          // What is no figure keeps what stands in the element.
          if (!FIGURES.includes(figure)) return;
          const url = new URL(figure === 'planner' ? '../plan-frame.html' : `${figure}.html`, base);
          for (const { name, value } of this.attributes) if (KEYS.includes(name)) url.searchParams.set(name, value);
          if (this.frame) {
            if (this.frame.src !== url.href) this.frame.src = url;
            return;
          }
          this.frame = Object.assign(document.createElement('iframe'), { title: this.title || this.textContent.trim() || figure, loading: 'lazy' });
          // A page that is isolated shows frames of others only in this way.
          if (window.crossOriginIsolated) this.frame.credentialless = true;
          this.frame.src = url;
          this.frame.style.cssText = `display:block;width:100%;border:0;height:${Number(this.getAttribute('height')) || 480}px`;
          this.replaceChildren(this.frame);
          adopt(this.frame);
        }
      },
    );
})();
