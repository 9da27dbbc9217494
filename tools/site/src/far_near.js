// When the far part of the tutorial's program comes.

/** After a failure, and until it is asked for again. */
const PAUSE = 2_000;
/** From when on a page that was changed says that it is still waiting. */
const PATIENCE = 4_000;

/** Fetches it when the reader comes near the first figure that needs it, or when the program asks. */
export function awaitFar() {
  const root = document.documentElement;
  const { farFile, farIntegrity, farNear } = document.querySelector('[data-far-file]').dataset;
  const missing = () => 'far' in root.dataset && document.dispatchEvent(new Event('memory-wall:far-missing'));
  let coming;
  let again = false;
  const bring = () => {
    if (coming) {
      again = true;
      return;
    }
    coming = far(fetch(farFile, { integrity: farIntegrity })).catch(() => {
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
