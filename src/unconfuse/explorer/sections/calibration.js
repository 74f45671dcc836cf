// Can the probabilities be taken at their word?

import {Chart, heightAt} from '../chart.js';
import {details, html, table} from '../elements.js';
import {estimateTexts} from '../estimates.js';
import {figure} from '../figures.js';
import {MODELS} from '../models.js';
import {payload} from '../payload.js';
import {reliabilityPicture} from '../pictures/reliability.js';
import {levelText, number, numbers, numberText, percentRange, percentText, pValueText} from '../text.js';

/** @import {CalibrationPart, Section} from '../types' */

const HOW_WORD =
  'Stated probability against what occurred, without bins (isotonic, CORP). Whatever the true increasing relation ' +
  'is, the whole of it lies in the shade with this confidence; the diagonal is keeping one’s word.';

/** @param {CalibrationPart} found */
function wordPicture({band}) {
  const [x, y, low, high] = [band.x, band.y, band.low, band.high].map(numbers);
  const plot = new Chart(
    'Stated against actual probability',
    {low: 0, high: 1, label: 'Stated probability'},
    {low: 0, high: 1, label: 'Share that was positive'},
  );
  plot.line([0, 1], [0, 1], 'baseline', 'ideal');
  plot.band(x, low, high, 'one');
  plot.line(x, y, 'one', 'isotonic');
  plot.hover(at => {
    const limits = percentRange(heightAt(x, low, at), heightAt(x, high, at));
    return `stated ${percentText(at)}: ${percentText(heightAt(x, y, at))} were positive (${limits})`;
  });
  return figure('Do they keep their word?', plot.wrap, HOW_WORD);
}

/** @param {CalibrationPart} found */
function wordTable({numbers: found, spiegelhalter}) {
  const rows = Object.entries(found).map(([name, part]) => {
    const [, value, interval] = estimateTexts(part.label, part);
    return [
      part.label,
      html('td', {class: 'num', 'data-calibration': name, 'data-value': number(part.value)}, value),
      interval,
    ];
  });
  const [z, p] = [spiegelhalter.z, spiegelhalter.p_value].map(number);
  const tested = ["Spiegelhalter's test", `z = ${numberText(z)}`, pValueText(p) && `p = ${pValueText(p)}`];
  const heads = ['Measure', 'Value', `${levelText(MODELS[0].level)} interval`];
  return table('How far stated and actual probabilities are apart', heads, [...rows, tested]);
}

/** @type {Section} */
export const calibrationSection = {
  id: 'calibration',
  title: 'Calibration',
  short: 'Calibration',
  about: 'can the probabilities be taken at their word? ICI, E90, reliability with its band',
  when: () => 'calibration' in payload || MODELS.some(each => each.curves.reliability),
  build: root => {
    const found = payload.calibration;
    if (!found) return root.append(html('div', {class: 'grid'}, reliabilityPicture()));
    const bins = details('The same in ten bins', reliabilityPicture());
    const left = html('div', null, wordPicture(found), MODELS.some(each => each.curves.reliability) ? bins : null);
    root.append(html('p', {class: 'said'}, found.sentence), html('div', {class: 'grid'}, left, wordTable(found)));
  },
};
