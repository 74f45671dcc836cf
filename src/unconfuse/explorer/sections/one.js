section('one', 'Look into one class', 'One class', () => Boolean(CLASSES), root => {
  const full = numbers(CLASSES.full), rest = CLASSES.names.map((_, i) => i).filter(i => !full.includes(i));
  const option = i => h('option', {value: i}, CLASSES.names[i]);
  const chooser = h('select', {id: 'class-chooser'}, h('optgroup', {label: rest.length ? 'In full, the weakest first' : 'The weakest first'}, full.map(option)), rest.length ? h('optgroup', {label: 'In short'}, rest.map(option)) : null);
  chooser.addEventListener('change', () => chooseClass(Number(chooser.value)));
  const place = h('div', {id: 'class-summary'});
  root.append(h('p', {class: 'how'}, 'One class against all others together: a case is “positive” if it belongs to the class. ' + (MODELS.some(each => each.scored) ? 'Metrics of decisions are those of the classes that were called; the slider asks another question: if the class were called whenever its own score reaches a threshold. It begins where that calls as many cases as were called.' : '')));
  if (rest.length) root.append(h('p', {class: 'muted'}, `${countText(full.length)} of ${countText(CLASSES.size)} classes are in this file in full, those with the lowest recall; the others in short, so that the file stays small.`));
  root.append(h('p', {class: 'field'}, h('label', {for: chooser.id}, 'Class'), chooser), place);

  const quoted = text => `'${text.replaceAll("'", `'"'"'`)}'`;
  const command = name => payload.command ? payload.command.replace(/ --(html|payload) ('[^']*'|\S+)/g, '') + ` --class ${quoted(name)} --html class.html` : `ev.of_class(${JSON.stringify(name)}).report("class.html")`;
  const among = (title, pairs, of) => h('div', null, h('h3', null, title), pairs.length ? h('ol', {class: 'among'}, pairs.slice(0, 5).map(([k, count]) => h('li', null, `${CLASSES.names[k]}: ${countText(count)} (${percentText(FORMULA.share(count, of))})`))) : h('p', {class: 'muted'}, 'None.'));
  function summary(i) {
    const name = CLASSES.names[i], wrong = CLASSES.entries.filter(([a, b]) => a !== b && (a === i || b === i)).sort((a, b) => b[2] - a[2]);
    const rows = Object.entries(CLASSES.table.metrics).map(([key, each]) => [each.label, h('td', {class: 'num big', 'data-short': key, 'data-value': number(each.value[i])}, numberText(number(each.value[i]))), intervalText(number(each.low[i]), number(each.high[i]))]);
    const why = CLASSES.table.undefined[i], curve = CLASSES.small_curves[i];
    const left = h('div', null, h('h3', null, name), h('p', null, why ? `This class ${why}.` : `${countText(CLASSES.truth[i])} cases; ${countText(CLASSES.predicted[i])} were called so.`),
      full.includes(i) ? null : table(`${name} against the rest`, ['Metric', 'Value', `${levelText(CLASSES.level)} interval`], rows));
    const grid = h('div', {class: 'grid'}, left, h('div', {class: 'pair'}, among('Called instead', wrong.filter(each => each[0] === i).map(each => [each[1], each[2]]), CLASSES.truth[i]), among('Wrongly called so', wrong.filter(each => each[1] === i).map(each => [each[0], each[2]]), CLASSES.predicted[i])));
    if (full.includes(i)) return [grid];
    if (curve) {
      const plot = chart({label: `ROC curve of ${name}`, x: {low: 0, high: 1, label: 'False positive rate'}, y: {low: 0, high: 1, label: 'Sensitivity'}});
      plot.line([0, 1], [0, 1], 'baseline');
      plot.line(numbers(curve.x), numbers(curve.y), 'one');
      grid.append(figure('ROC curve', plot.wrap, 'Thinned to fit; the page of this class has it in full.'));
    }
    const words = CLASSES.shortened ? h('p', {class: 'muted'}, 'The page of this class with every metric, slider and picture: --class with its whole name (names are cut short here).') : h('div', null, h('p', null, 'For the page of this class with every metric, slider and picture:'), h('pre', {tabindex: 0}, h('code', null, command(name))));
    return why ? [grid] : [grid, words];
  }
  let shown = null;
  watch(() => {
    if (shown === state.class) return;
    shown = state.class;
    chooser.value = String(state.class);
    place.replaceChildren(...summary(state.class));
    ONE.hidden = !full.includes(state.class);
  });
});
