// Can those that are labelled positive be told from real positives?

import {html} from '../elements.js';
import {MODELS} from '../models.js';
import {indistinguishablePicture} from '../pictures/indistinguishable.js';

/** @import {Section} from '../types' */

/** @type {Section} */
export const alikeSection = {
  id: 'alike',
  title: 'B(r) and C(r_b)',
  short: 'B(r)',
  about: 'where labelled and real positives look alike: a threshold that needs no costs',
  when: () => MODELS.some(each => each.scored && each.b),
  build: root => root.append(html('div', {class: 'grid'}, indistinguishablePicture())),
};
