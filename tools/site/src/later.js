// Whatever only answers to the reader is asked for once the page has been painted: until then the line is for what is read.
(() => {
  // What has been taken out once is not there a second time.
  const later = () => document.head.append(document.getElementById('later').content);
  setTimeout(later, 2_000);
  const painted = 'paint';
  // What nobody looks at is not painted; and a browser may not tell.
  if (document.hidden || !window.PerformanceObserver?.supportedEntryTypes?.includes(painted)) later();
  else new PerformanceObserver(later).observe({ type: painted, buffered: true });
})();
