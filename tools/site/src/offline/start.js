// glue
// A page from a disk has no origin, which is how the program knows frames that may hand out no files. This page may.
if (location.protocol === 'file:' && window.top === window) window.origin = 'file:';
const text = document.getElementById('program').textContent;
const started = await __wbg_init({ module_or_path: Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)) });
dispatchEvent(new CustomEvent('TrunkApplicationStarted', { detail: { wasm: started } }));
