// The prevalence slider's scale: logits, so that rare and common have room.

import {MODELS} from './models.js';

/** @param {number} p */
const logit = p => Math.log(p / (1 - p));
/** @param {number} v */
const expit = v => 1 / (1 + Math.exp(-v));

const LOWEST = Math.min(1e-4, ...MODELS.map(each => each.prevalence / 2));
const HIGHEST = 0.99;

/** @param {number} share */
export const prevalenceAt = share => expit(logit(LOWEST) + share * (logit(HIGHEST) - logit(LOWEST)));

/** @param {number} prevalence */
export const shareOfScale = prevalence => (logit(prevalence) - logit(LOWEST)) / (logit(HIGHEST) - logit(LOWEST));
