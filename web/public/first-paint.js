// Sets the colour scheme before anything is painted. A file of its own because the content policy forbids inline scripts.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('signalbox-color-scheme');
  } catch {
    // Storage may be forbidden; the system's choice is used then.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
