// Light, dark, or as the system says.

const ORDER = ['auto', 'light', 'dark'];
const NAMES = {auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark'};
const SIGNS = {auto: '◐', light: '☀', dark: '☾'};

function current() {
  try { return localStorage.getItem('theme') || 'auto'; } catch { return 'auto'; }
}

export function isDark() {
  const theme = current();
  return theme === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

export function startTheme(button, onChange) {
  const apply = () => {
    const theme = current();
    document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
    button.textContent = SIGNS[theme];
    button.setAttribute('aria-label', NAMES[theme] + '. Change it');
    button.title = NAMES[theme];
  };
  button.addEventListener('click', () => {
    const next = ORDER[(ORDER.indexOf(current()) + 1) % ORDER.length];
    try { localStorage.setItem('theme', next); } catch { /* Only for this visit, then. */ }
    apply();
    onChange();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { apply(); onChange(); });
  apply();
}
