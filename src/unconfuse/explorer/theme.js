// Light or dark, whatever the system says.

import {button} from './elements.js';

export function themeButton() {
  return button({class: 'theme', 'aria-label': 'Switch between light and dark'}, '◐', () => {
    const {dataset} = document.documentElement;
    const isDark = dataset.theme ? dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    dataset.theme = isDark ? 'light' : 'dark';
  });
}
