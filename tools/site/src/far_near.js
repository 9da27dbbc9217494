// When the far part of the tutorial's program comes.

/** Fetches it when the reader comes near the first figure that needs it, or when the program asks. */
export function awaitFar() {
  const { farFile, farIntegrity, farNear } = document.querySelector('[data-far-file]').dataset;
  let coming;
  const bring = () => {
    coming ??= far(fetch(farFile, { integrity: farIntegrity })).catch(() => {
      coming = undefined;
      document.dispatchEvent(new Event('memory-wall:far-missing'));
    });
  };
  document.documentElement.dataset.far = '';
  document.addEventListener('memory-wall:far-asked', bring);
  document.addEventListener('memory-wall:live', () => {
    // Whoever is below it has come near it too.
    const seen = (entries) => entries.some((entry) => entry.isIntersecting) && bring();
    new IntersectionObserver(seen, { rootMargin: '9999999px 0px 200%' }).observe(document.getElementById(farNear).closest('section'));
  });
}
