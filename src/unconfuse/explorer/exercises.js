// A page of exercises that checks answers. The answers are Python's; the page only compares.

import {button, details, html, setText} from './elements.js';
import {payload} from './payload.js';
import {number} from './text.js';
import {themeButton} from './theme.js';

/** @import {ExercisePart, Exercises} from './types' */

const told = /** @type {Exercises} */ (/** @type {unknown} */ (payload));
/** @type {Set<string>} */
const solved = new Set();
const progress = html('p', {class: 'muted', id: 'progress', role: 'status'});
const asked = told.exercises.reduce((sum, each) => sum + each.parts.length, 0);

const showProgress = () => setText(progress, `${solved.size} of ${asked} answers are correct.`);

/** A number as people type it: 67.8% and 0,678 are 0.678; NaN of anything else. @param {string} text */
function typedNumber(text) {
  const plain = text.trim().replace(',', '.');
  if (!/^-?(\d+\.?\d*|\.\d+)(e-?\d+)?\s*%?$/i.test(plain)) return NaN;
  return plain.endsWith('%') ? Number(plain.slice(0, -1)) / 100 : Number(plain);
}

/** @param {string} text @param {number} answer @param {number} tolerance */
function isRight(text, answer, tolerance) {
  if (Number.isNaN(answer)) return /^(undefined|nan|0\/0)$/i.test(text.trim());
  return Math.abs(typedNumber(text) - answer) <= tolerance;
}

/** @param {ExercisePart['parts'][number]} part @param {string} id */
function partRow(part, id) {
  const answer = number(part.answer);
  const input = html('input', {type: 'text', id, autocomplete: 'off', inputmode: 'text'});
  const feedback = html('p', {class: 'feedback', role: 'status', id: `${id}-feedback`});
  const say = (/** @type {string} */ look, /** @type {string} */ words) => {
    feedback.className = `feedback ${look}`;
    setText(feedback, words);
  };
  const check = () => {
    const text = input.value;
    if (!text.trim()) return say('', 'Type an answer first.');
    if (Number.isNaN(typedNumber(text)) && !isRight(text, NaN, 0))
      return say('wrong', 'Type a number, such as 0.678 or 67.8%, or “undefined”.');
    const right = isRight(text, answer, number(part.tolerance));
    solved[right ? 'add' : 'delete'](id);
    showProgress();
    return right ? say('right', `Correct: ${part.shown}. ${part.why}.`) : say('wrong', 'Not yet. Try again.');
  };
  input.addEventListener('keydown', event => event.key === 'Enter' && check());
  input.addEventListener('input', () => say('', ''));
  return html(
    'div',
    {class: 'part'},
    html('label', {for: id}, part.label),
    input,
    button({class: 'check', 'aria-label': `Check: ${part.label}`}, 'Check', check),
    button({class: 'reveal', 'aria-label': `Show the answer: ${part.label}`}, 'Show', () =>
      say('', `${part.shown}. ${part.why}.`),
    ),
    feedback,
  );
}

/** @param {ExercisePart} exercise @param {number} place */
function exerciseSection(exercise, place) {
  const before = told.exercises[place - 1];
  const rows = exercise.parts.map((part, i) => partRow(part, `answer-${place}-${i}`));
  const command = details(
    'The command that answers it',
    html('pre', {tabindex: 0}, html('code', null, exercise.command)),
  );
  return [
    before?.text === exercise.text ? null : html('h2', null, exercise.text),
    html(
      'section',
      {class: 'exercise', 'aria-labelledby': `exercise-${place}`},
      html('h3', {id: `exercise-${place}`}, exercise.name),
      html('p', null, exercise.question),
      html('div', {class: 'parts'}, rows),
      command,
    ),
  ];
}

function drawExercises() {
  const app = /** @type {HTMLElement} */ (document.getElementById('app'));
  const about =
    `Answers were computed by unconfuse ${told.version}. An answer within 0.005 is correct, or within 5% where ` +
    'that is less; ' +
    'percentages such as 67.8% are read as well. Nothing you type leaves this page.';
  const words = html(
    'div',
    null,
    html('h1', null, told.title),
    html('p', {class: 'muted', id: 'about'}, about),
    progress,
  );
  app.append(
    html('header', {class: 'top'}, words, html('div', {class: 'tools'}, themeButton())),
    html('main', {class: 'lesson'}, told.exercises.flatMap(exerciseSection)),
  );
  showProgress();
}

drawExercises();
