// When the far parts of the tutorial's program come: all of them, since who goes on comes to every figure.

/** Their files and digests; the document, which the first paint waits for, does without them. */
const PARTS = {{parts}};
/** After a failure, and until it is asked for again. */
const PAUSE = 2_000;
/** From when on a page that was changed says that it is still waiting. */
const PATIENCE = 4_000;

/** Fetches them when the reader comes near the first figure that needs one, or when the program asks. */
export function awaitFar() {
  const root = document.documentElement;
  const { farNear } = document.querySelector('[data-far-near]').dataset;
  const missing = () => 'far' in root.dataset && document.dispatchEvent(new Event('memory-wall:far-missing'));
  let coming;
  let again = false;
  const bring = () => {
    if (coming) {
      again = true;
      return;
    }
    coming = far(...PARTS.map(([file, integrity]) => fetch(file, { integrity }))).catch(() => {
      missing();
      setTimeout(() => {
        coming = undefined;
        if (again) bring();
        again = false;
      }, PAUSE);
    });
  };
  root.dataset.far = '';
  document.addEventListener('memory-wall:far-asked', () => {
    bring();
    setTimeout(missing, PATIENCE);
  });
  addEventListener('online', () => coming || bring());
  document.addEventListener('memory-wall:live', () => {
    // Whoever is below it has come near it too. In a frame of another site margins count for this document alone.
    const seen = (entries) => entries.some((entry) => entry.isIntersecting) && bring();
    new IntersectionObserver(seen, { root: document, rootMargin: '9999999px 0px 200%' }).observe(document.getElementById(farNear).closest('section'));
  });
}
