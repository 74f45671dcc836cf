// Do cases that are labelled positive score like positives?

import {html, setText} from '../elements.js';
import {MODELS} from '../models.js';
import {indistinguishablePicture} from '../pictures/indistinguishable.js';
import {chosenModel, watch} from '../state.js';

/** @import {Section} from '../types' */

/** @type {Section} */
export const alikeSection = {
  id: 'alike',
  title: 'B(r) and C(r_b)',
  short: 'B(r)',
  about: 'where labelled cases and positives rank equally often above each other',
  when: () => MODELS.some(each => each.scored && each.b),
  build: root => {
    const said = html('p', {class: 'said', id: 'indistinguishable'});
    watch(() => setText(said, chosenModel().indistinguishable || ''));
    root.append(said, html('div', {class: 'grid'}, indistinguishablePicture()));
  },
};
