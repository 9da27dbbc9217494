// A page from a disk has no origin, which is how the program knows frames that may hand out no files. This page may.
if (location.protocol === 'file:' && window.top === window) window.origin = 'file:';
await window.memoryWall();
