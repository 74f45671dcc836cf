// Text to the clipboard, also where a page may not use it.

import {html, setText} from './elements.js';

export const copyStatus = html('span', {class: 'hidden-words', role: 'status'});

/** @param {string} text */
function copyByHand(text) {
  const area = html('textarea', {class: 'hidden-words', 'aria-hidden': 'true'});
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** @param {string} text */
export function copy(text) {
  setText(copyStatus, 'Copied.');
  if (!navigator.clipboard) return copyByHand(text);
  navigator.clipboard.writeText(text).catch(() => copyByHand(text));
}
