// How a verdict looks: good, bad, or open.

/** @import {Named} from './types' */

/** @type {Named<string | undefined>} */
const TONES = {
  'better than guessing': 'better',
  'no better than guessing': 'worse',
  reversed: 'worse',
  better: 'better',
  misleading: 'worse',
  worse: 'worse',
  'cannot tell': 'cannot-tell',
  'cannot tell at this sample size': 'cannot-tell',
};

/** @param {string} verdict */
export const verdictTone = verdict => TONES[verdict] || '';
