// Move to another population: the threshold stays, the prevalence changes.

import {howToRead, html} from '../elements.js';
import {MODELS} from '../models.js';
import {believedPicture} from '../pictures/believed.js';
import {personPicture} from '../pictures/person.js';
import {prevalenceTable} from '../pictures/prevalence_table.js';
import {thousandPicture} from '../pictures/thousand.js';

/** @import {Section} from '../types' */

const HOW_PREVALENCE =
  'Sensitivity and specificity belong to the classifier; what a label is worth depends on how common positives are ' +
  'where it is used. Drag the prevalence slider at the top: the threshold stays, the population changes.';

/** @type {Section} */
export const prevalenceSection = {
  id: 'prevalence',
  title: 'Move to another population',
  short: 'Prevalence',
  when: () => MODELS.length > 0,
  build: root =>
    root.append(
      howToRead(HOW_PREVALENCE),
      html('div', {class: 'grid'}, believedPicture(), thousandPicture()),
      personPicture(),
      prevalenceTable(),
    ),
};
