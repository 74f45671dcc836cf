// A picture with its title, what it says, how to read it, and a menu to take it along.

import {downloads} from './downloads.js';
import {html} from './elements.js';

/** @import {Child} from './types' */

/** @param {string} title @param {Child} picture @param {string} words @param {Child[]} more */
export function figure(title, picture, words, ...more) {
  const made = html('figure', null, html('h3', null, title), picture, ...more, html('figcaption', null, words));
  const find = () => made.querySelector('svg.chart');
  if (find()) made.prepend(downloads(title, find));
  return made;
}
