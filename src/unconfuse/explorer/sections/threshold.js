section('threshold', 'Move the threshold', 'Threshold', () => MODELS.length > 0, root => {
  const scored = MODELS[0].scored;
  root.append(h('p', {class: 'how'}, scored
    ? 'A case is called positive if its score is at least the threshold. Drag the slider at the top of the page (or use the arrow keys): every picture and number here follows. Lower thresholds find more positives and raise more false alarms.'
    : 'Only four counts are known, so there is one threshold.'));
  const grid = h('div', {class: 'grid'});
  root.append(grid);
  if (scored && MODELS[0].histogram) grid.append(scoresPicture());
  grid.append(matrixPicture());
  if (scored && MODELS[0].curves.roc) grid.append(rocPicture(), precisionPicture());
  if (scored) grid.append(trendPicture());
  if (scored && MODELS[0].b) grid.append(bPicture());
  root.append(decisionTable());
});

// Pictures are drawn anew for another model (or whatever `key` names), and only follow the slider otherwise.
function perModel(make, key = () => state.model) {
  const place = h('div', {class: 'place'});
  let shown = null, follow = () => {};
  watch(() => {
    if (shown !== key()) {
      shown = key();
      const made = make(model());
      place.replaceChildren(made.node);
      follow = made.follow;
    }
    follow();
  });
  return place;
}

function scoresPicture() {
  const picture = perModel(each => {
    const left = numbers(each.histogram.left), right = numbers(each.histogram.right);
    const up = numbers(each.histogram.share_of_positives), down = numbers(each.histogram.share_of_negatives);
    const top = Math.max(...up, ...down), most = `${fixed(100 * top, top >= 0.1 ? 0 : 1)}%`, low = left[0], high = right[right.length - 1];
    const plot = chart({label: `Scores of ${each.title}: positives above the line, negatives below`, x: {low, high, label: 'Score'},
      y: {low: -top * 1.08, high: top * 1.08, label: 'Share of each class', ticks: [[top, most], [0, '0'], [-top, most]]}});
    const clip = fresh('side'), window_ = s('rect', {x: 0, y: 0, width: SIZE.width, height: SIZE.height});
    plot.node.append(s('defs', null, s('clipPath', {id: clip}, window_)));
    const bars = cls => left.map((from, i) => [
      s('rect', {class: `positive ${cls}`, x: plot.X(from), width: Math.max(plot.X(right[i]) - plot.X(from) - 0.6, 0.6), y: plot.Y(up[i]), height: plot.Y(0) - plot.Y(up[i])}),
      s('rect', {class: `negative ${cls}`, x: plot.X(from), width: Math.max(plot.X(right[i]) - plot.X(from) - 0.6, 0.6), y: plot.Y(0), height: plot.Y(-down[i]) - plot.Y(0)})]).flat();
    plot.marks.append(s('g', null, ...bars('faint')), s('g', {'clip-path': `url(#${clip})`}, ...bars('full')));
    plot.words(plot.inner.right, plot.inner.top + 10, 'positives', 'end', 'note strong');
    plot.words(plot.inner.right, plot.inner.bottom - 6, 'negatives', 'end', 'note strong');
    const cut = plot.upright('cut');
    plot.hover(v => {
      const i = right.findIndex(edge => v <= edge);
      return i < 0 ? '' : `scores ${tickText(left[i])} to ${tickText(right[i])}: ${percentText(up[i])} of positives, ${percentText(down[i])} of negatives`;
    });
    return {node: plot.wrap, follow: () => {
      const at = each.thresholds[state.stop], px = at === Infinity ? SIZE.width : Math.min(Math.max(plot.X(at), plot.inner.left), plot.inner.right);
      window_.setAttribute('x', px);
      cut(at === Infinity ? high : at);
    }};
  });
  return figure('Scores', picture, 'How the scores of both classes are spread. Right of the line, everything is called positive: full orange bars there are false alarms, pale blue bars on the left are missed.');
}

function matrixPicture() {
  const cells = [['tp', 'found', 'positive full'], ['fn', 'missed', 'positive faint'], ['fp', 'false alarms', 'negative full'], ['tn', 'rightly left alone', 'negative faint']];
  const width = 420, height = 190, gap = 2;
  const node = s('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'chart mosaic', 'aria-label': 'Confusion matrix'});
  const parts = Object.fromEntries(cells.map(([key, words, cls]) => {
    const rect = s('rect', {class: cls}), text = s('text', {class: 'cell', 'text-anchor': 'middle'});
    node.append(rect, text);
    return [key, {rect, text, words}];
  }));
  const out = Object.fromEntries(cells.map(([key]) => [key, h('td', {class: 'num', id: `cell-${key}`}, h('span', null), h('span', {class: 'share'}))]));
  const heads = h('thead', null, h('tr', null, ['', 'called positive', 'called negative'].map(each => each ? h('th', {scope: 'col', class: 'num'}, each) : h('td', null))));
  const counts_ = h('table', {class: 'small'}, h('caption', {class: 'hidden'}, 'Confusion matrix in counts'), heads, h('tbody', null,
    h('tr', null, h('th', {scope: 'row'}, h('span', {class: 'key positive'}), 'positives'), out.tp, out.fn),
    h('tr', null, h('th', {scope: 'row'}, h('span', {class: 'key negative'}), 'negatives'), out.fp, out.tn)));
  watch(() => {
    const c = model().counts[state.stop], share = c.positives / c.total, split = share * (width - gap);
    const column = (first, second, from, wide, upper) => {
      const part = upper * (height - gap);
      const put = (key, y, tall) => {
        const {rect, text, words} = parts[key];
        for (const [name, value] of Object.entries({x: from, y, width: Math.max(wide, 0), height: Math.max(tall, 0)})) rect.setAttribute(name, value.toFixed(2));
        const share = percentText(c[key] / c.total), full = `${words} ${share}`, fits = tall > 13 ? [full, share].find(each => 7.6 * each.length + 6 < wide) : '';
        set(text, fits || '');
        text.setAttribute('x', from + wide / 2); text.setAttribute('y', y + tall / 2 + 4);
        set(out[key].firstChild, countText(c[key]));
        set(out[key].lastChild, `${words}, ${percentText(c[key] / c.total)}`);
        out[key].dataset.value = c[key];
      };
      put(first, 0, part);
      put(second, part + gap, height - gap - part);
    };
    column('tp', 'fn', 0, split, c.tp / c.positives);
    column('fp', 'tn', split + gap, width - gap - split, c.fp / c.negatives);
    node.setAttribute('aria-label', `Confusion matrix as areas: ${cells.map(([key, words]) => `${words} ${percentText(c[key] / c.total)}`).join(', ')} of all cases`);
  });
  return figure('Confusion matrix', h('div', {class: 'plot'}, node, counts_), 'Each area is a share of all cases. Blue: positives, orange: negatives; full colour: called positive, pale: called negative. You want much full blue and little full orange.');
}

// All models' lines, the chosen one on top with its band.
function overlay(name, {label, x, y, xLow = 0, xHigh = 1, yLow = 0, yHigh = 1, baselines = [], point, say}) {
  const drawn = MODELS.filter(each => each.curves[name]).map(each => ({each, x: numbers(each.curves[name].x), y: numbers(each.curves[name].y), band: each.curves[name].band}));
  return perModel(chosen => {
    const plot = chart({label: `${label} of ${chosen.title}`, x: {low: xLow, high: xHigh, label: x}, y: {low: yLow, high: yHigh, label: y}});
    const mine = drawn.find(each => each.each === chosen);
    for (const key of baselines) {
      const line = mine && chosen.curves[name].baselines[key];
      if (line) plot.line(numbers(line.x), numbers(line.y), 'baseline');
    }
    if (mine && mine.band) plot.band(numbers(mine.band.x), numbers(mine.band.low), numbers(mine.band.high), chosen.colour);
    for (const other of CLASSES ? [] : drawn) if (other !== mine) plot.line(other.x, other.y, `other ${other.each.colour}`);
    if (mine) plot.line(mine.x, mine.y, chosen.colour);
    const dot = plot.point(chosen.colour);
    if (say && mine) plot.hover(v => say(v, heightAt(mine.x, mine.y, v), mine.band ? [heightAt(numbers(mine.band.x), numbers(mine.band.low), v), heightAt(numbers(mine.band.x), numbers(mine.band.high), v)] : null));
    return {node: h('div', null, plot.wrap, CLASSES ? null : legend(drawn.map(each => each.each))), follow: () => {
      if (!point) return;
      const [px, py, words] = point(chosen, state.stop);
      dot(px, py);
      plot.describe(words);
    }};
  });
}

function legend(models) {
  if (models.length < 2) return null;
  return h('ul', {class: 'legend'}, models.map(each => h('li', null, h('span', {class: `swatch ${each.colour}`}), each.title)));
}

function rocPicture() {
  const picture = overlay('roc', {label: 'ROC curve', x: 'False positive rate', y: 'Sensitivity', baselines: ['chance'],
    point: (each, stop) => {
      const c = each.counts[stop], fpr = c.fp / c.negatives, tpr = c.tp / c.positives;
      return [fpr, tpr, `At this threshold sensitivity ${numberText(tpr)} and false positive rate ${numberText(fpr)}`];
    },
    say: (x, y, band) => `at a false positive rate of ${percentText(x)}: ${percentText(y)} found` + (band ? ` (${percentText(band[0])} to ${percentText(band[1])})` : '')});
  return figure('ROC curve', picture, 'Each point is a threshold: how many positives it finds (up) against how many negatives it alarms (right). The dot is the current one. Chance runs along the diagonal; the upper left corner is perfect. The shade is where the true curve plausibly runs.');
}

function precisionPicture() {
  const picture = overlay('precision_recall', {label: 'Precision-recall curve', x: 'Recall (share of positives found)', y: 'Precision', baselines: ['prevalence'],
    point: (each, stop) => {
      const c = each.counts[stop], recall = c.tp / c.positives, precision = METRIC.precision(c);
      return [recall, precision, `At this threshold recall ${numberText(recall)} and precision ${numberText(precision)}`];
    },
    say: (x, y, band) => `finding ${percentText(x)} of positives: ${Number.isNaN(y) ? '?' : percentText(y)} of alarms are right` + (band ? ` (${percentText(band[0])} to ${percentText(band[1])})` : '')});
  return figure('Precision and recall', picture, 'Of the cases called positive, how many are right (up), against how many positives are found (right). The thin line is the share of positives in these data: labels without information reach only that.');
}

function bPicture() {
  const picture = perModel(each => {
    const at = each.thresholds.filter(Number.isFinite), b = each.b.slice(0, at.length);
    const plot = chart({label: `B(r) of ${each.title}`, x: {low: at[0], high: Math.max(at[at.length - 1], at[0] + 1e-9), label: 'Threshold r'}, y: {low: 0, high: 1, label: 'B(r)'}});
    plot.line([at[0], at[at.length - 1]], [0.5, 0.5], 'baseline');
    plot.words(plot.inner.right, plot.Y(0.5) - 5, 'cannot be told apart', 'end');
    plot.line(at, b, each.colour);
    const dot = plot.point(each.colour), cut = plot.upright('cut');
    plot.hover(v => `at ${tickText(v)}: a positive outranks a labelled case ${percentText(heightAt(at, b, v))} of the time`);
    return {node: plot.wrap, follow: () => {
      const here = each.thresholds[state.stop];
      dot(here, each.b[state.stop]);
      cut(here === Infinity ? at[at.length - 1] : here);
      plot.describe(`At this threshold B is ${numberText(each.b[state.stop])}`);
    }};
  });
  return figure('Can labelled and real be told apart?', picture, 'B(r) is how often a random positive outranks a random case that is called positive. Where it crosses one half, the labelled look just like real positives: a threshold that needs no costs.');
}

function trendPicture() {
  let name = DECISIONS.includes('precision') ? 'precision' : DECISIONS[0];
  const chooser = select('Metric', DECISIONS.map(each => [each, METRICS[each].label]), name, value => { name = value; change({}); });
  const picture = perModel(each => {
    const at = each.thresholds.filter(Number.isFinite), found = at.map((_, i) => decision(each, name, i));
    const [low, high] = METRICS[name].range.map(number), seen = found.map(v => v.value).filter(Number.isFinite).sort((a, b) => a - b);
    const most = seen.length ? seen[Math.floor(0.9 * (seen.length - 1))] : 1;
    const plot = chart({label: `${METRICS[name].label} of ${each.title} against the threshold`, x: {low: at[0], high: Math.max(at[at.length - 1], at[0] + 1e-9), label: 'Threshold'},
      y: {low: Number.isFinite(low) ? low : 0, high: Number.isFinite(high) ? high : Math.max(1, most * 1.1), label: METRICS[name].label}});
    plot.band(at, found.map(v => v.low), found.map(v => v.high), each.colour);
    plot.line(at, found.map(v => v.chance), 'baseline');
    plot.line(at, found.map(v => v.value), each.colour);
    const dot = plot.point(each.colour), cut = plot.upright('cut');
    plot.hover(v => {
      const i = Math.min(nearestStop(each, v), at.length - 1);
      return `at ${tickText(at[i])}: ${numberText(found[i].value)} ${intervalText(found[i].low, found[i].high)}`;
    });
    return {node: plot.wrap, follow: () => {
      const here = each.thresholds[state.stop], now = decision(each, name, state.stop);
      dot(here, now.value);
      cut(here === Infinity ? at[at.length - 1] : here);
      plot.describe(`At this threshold ${numberText(now.value)} ${intervalText(now.low, now.high)}`);
    }};
  }, () => `${state.model} ${name}`);
  return figure('Any metric against the threshold', picture, 'The line is the metric at every threshold, the shade its interval there, the thin line what labels without information would reach if they called as many cases positive.', chooser);
}

function decisionTable() {
  const rows = Object.fromEntries(DECISIONS.map(name => [name, {value: h('td', {class: 'num', id: `value-${name}`}), interval: h('td', {class: 'num muted', id: `interval-${name}`}), chance: h('td', {class: 'num muted'})}]));
  const level = MODELS[0].level, clustered = model().design === 'clustered';
  const FIRST = ['sensitivity', 'specificity', 'precision', 'npv', 'accuracy', 'balanced_accuracy', 'f1', 'mcc', 'youden_j', 'lr_positive', 'lr_negative', 'queue_rate'];
  const first = FIRST.filter(name => DECISIONS.includes(name)), rest = DECISIONS.filter(name => !FIRST.includes(name));
  const part = (names, caption) => table(caption, ['Metric', 'Value', `${levelText(level)} interval`, 'Chance'],
    names.map(name => [h('th', {scope: 'row'}, METRICS[name].label, h('span', {class: 'question'}, METRICS[name].question)), rows[name].value, rows[name].interval, rows[name].chance]), {class: 'decisions'});
  watch(() => {
    for (const name of DECISIONS) {
      const found = decision(model(), name, state.stop), cells = rows[name];
      set(cells.value, numberText(found.value));
      cells.value.dataset.value = found.value;
      set(cells.interval, intervalText(found.low, found.high));
      set(cells.chance, Number.isFinite(found.chance) ? numberText(found.chance) : '');
    }
  });
  const note = clustered ? h('p', {class: 'muted'}, 'Cases come in groups, so that intervals exist only at the threshold that was evaluated (see above).') : null;
  return h('div', null, h('h3', null, 'Every decision metric here'), note, first.length ? part(first, 'Decision metrics at the current threshold') : null,
    rest.length && first.length ? details(`${rest.length} more decision metrics`, part(rest, 'Further decision metrics at the current threshold')) : part(rest, 'Decision metrics at the current threshold'));
}
