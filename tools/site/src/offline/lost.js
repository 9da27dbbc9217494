// Hosts answer any wrong address with this page, so it does not know where it lies: home is the next folder up that is an app's.
(async () => {
  const home = document.getElementById('home');
  const folders = location.pathname.split('/').slice(0, 12);
  while (folders.pop() !== undefined && folders.length > 0) {
    const folder = `${folders.join('/')}/`;
    const answer = await fetch(`${folder}manifest.webmanifest`).then((answer) => answer.ok && answer.json()).catch(() => false);
    if (answer?.short_name !== home.dataset.app) continue;
    home.href = folder;
    return;
  }
})();
