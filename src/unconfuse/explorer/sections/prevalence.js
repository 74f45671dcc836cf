// Move to another population: the threshold stays, the prevalence changes.

import {howToRead, html} from '../elements.js';
import {MODELS} from '../models.js';
import {believedPicture} from '../pictures/believed.js';
import {personPicture} from '../pictures/person.js';
import {prevalenceTable, worth} from '../pictures/prevalence_table.js';

/** @import {Section} from '../types' */

const HOW_PREVALENCE =
  'Sensitivity and specificity belong to the classifier; how often a label is right depends on how common positives ' +
  'are where it is used. Drag in the picture, or the second slider: the threshold stays, the population changes.';

/** @type {Section} */
export const prevalenceSection = {
  id: 'prevalence',
  title: 'What it means elsewhere',
  short: 'Elsewhere',
  when: () => MODELS.length > 0,
  build: root => {
    const beside = html(
      'div',
      null,
      personPicture(),
      html('h3', {class: 'after'}, 'Where do the labels have the largest net benefit?'),
      worth(),
    );
    root.append(howToRead(HOW_PREVALENCE), html('div', {class: 'grid'}, believedPicture(), beside));
  },
};

/** @type {Section} */
export const elsewhereSection = {
  id: 'elsewhere',
  title: 'Numbers at the chosen prevalence',
  short: 'At the prevalence',
  about: 'predictive values, likelihood ratios and net benefit, with intervals where there is a closed form',
  when: () => MODELS.length > 0,
  build: root => root.append(prevalenceTable()),
};
