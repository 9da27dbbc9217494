// Whatever only answers to the reader is asked for once the page has been painted: until then the line is for what is read.
(() => {
  // What has been taken out once is not there a second time.
  const later = () => {
    const { content } = document.getElementById('later');
    const near = [...content.querySelectorAll('[data-near]')];
    document.head.append(content);
    // What belongs to one figure is asked for when the reader comes near that figure.
    for (const script of near) {
      const seen = (entries, observer) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        script.src = script.dataset.src;
      };
      new IntersectionObserver(seen, { rootMargin: '100%' }).observe(document.getElementById(script.dataset.near));
    }
  };
  setTimeout(later, 2_000);
  const painted = 'paint';
  // What nobody looks at is not painted; and a browser may not tell.
  if (document.hidden || !window.PerformanceObserver?.supportedEntryTypes?.includes(painted)) later();
  else new PerformanceObserver(later).observe({ type: painted, buffered: true });
})();
