section('data', 'The data, and how to repeat this', 'Data', () => true, root => {
  const pairs = [], add = (name, value) => { if (value !== '' && value !== null && value !== undefined) pairs.push([name, value]); };
  if (CLASSES) {
    add('Cases', countText(CLASSES.n));
    add('Classes', countText(CLASSES.size + CLASSES.left_out) + (CLASSES.left_out ? `, of which the ${countText(CLASSES.size)} largest are shown` : ''));
    add('Matrix', `${countText(CLASSES.entries.length)} of ${countText(CLASSES.size * CLASSES.size)} cells hold cases`);
    add('Design', {cohort: 'cohort: the shares of the classes came about by themselves', 'case-control': 'case-control: the study chose the shares of the classes', clustered: 'clustered: cases that belong together were resampled together'}[CLASSES.design] || CLASSES.design);
    add('Confidence level', levelText(CLASSES.level));
    add('Bootstrap', CLASSES.n_resamples ? `${countText(CLASSES.n_resamples)} resamples, seed ${CLASSES.seed}, where no formula serves` : '');
    add('Source', CLASSES.source);
    add('Single classes', `${CLASSES.full.length} in full` + (MODELS.some(each => each.scored) ? '; their curves are thinned so that no line moves by half a pixel on a picture 400 pixels wide' : ''));
  } else if (MODELS.length) {
    const each = MODELS[0];
    add('Cases', countText(each.n));
    add('Positives', `${countText(each.positives)} (${percentText(each.prevalence)})`);
    add('Negatives', countText(each.negatives));
    if (each.scored) add(each.binned ? 'Blocks of scores' : 'Distinct scores', `${countText(each.distinct_scores)}, from ${thresholdText(each.lowest_score)} to ${thresholdText(each.highest_score)}`);
    if (each.skipped) add('Rows left out', `${countText(each.skipped.rows)}: ${Object.entries(each.skipped.reasons).map(([reason, rows]) => `${reason} ${countText(rows)}`).join(', ')}`);
    if (each.binned) add('Binned table', 'scores were joined into blocks: the slider stops between blocks, where counts are exact; each metric says between which numbers its exact value certainly lies; what needs exact scores is not on this page');
    add('Threshold evaluated', each.scored && Number.isFinite(number(each.threshold)) ? thresholdText(each.threshold) : '');
    add('Design', {cohort: 'cohort: the share of positives came about by itself', 'case-control': 'case-control: the study chose the share of positives', clustered: 'clustered: cases that belong together were resampled together'}[each.design] || each.design);
    add('Confidence level', levelText(each.level));
    add('Bootstrap', each.n_resamples ? `${countText(each.n_resamples)} resamples, seed ${each.seed}` : '');
    add('Source', each.source);
    add('Slider', each.binned ? `${each.thresholds.length} stops between blocks` : each.scored ? `${each.thresholds.length} stops` + (each.distinct_scores > each.thresholds.length ? ` of ${countText(each.distinct_scores)} distinct scores; numbers at each stop are exact` : ', one for each distinct score and each threshold named here') : '');
    add('Curves', Object.keys(each.curves).length ? 'thinned so that no line moves by half a pixel on a picture 400 pixels wide' : '');
  }
  if (payload.card) add('Threshold card', `performance ${payload.card.honest}; ` + Object.entries(payload.card.settings).filter(([key]) => ['folds', 'repeats', 'n_resamples', 'rng'].includes(key)).map(([key, value]) => `${key.replaceAll('_', ' ')} ${value}`).join(', '));
  if (payload.comparison) add('Comparison', `${countText(payload.comparison.n)} cases` + (payload.comparison.settings.classes ? `, ${payload.comparison.settings.classes.length} classes` : Number.isFinite(number(payload.comparison.positives)) ? `, ${countText(payload.comparison.positives)} positive` : '') + `; p-values adjusted by ${payload.comparison.settings.adjust}` + (payload.comparison.settings.n_resamples ? `; ${countText(payload.comparison.settings.n_resamples)} resamples, seed ${payload.comparison.settings.seed}` : ''));
  if (payload.resolution) add('Resolving power', `${payload.resolution.method} method` + (payload.resolution.n_samples ? `, ${countText(payload.resolution.n_samples)} samples, seed ${payload.resolution.seed}` : '') + `, ${payload.resolution.design} sampling`);
  add('Made by', `unconfuse ${payload.version}`);
  root.append(h('dl', {class: 'facts'}, pairs.flatMap(([name, value]) => [h('dt', null, name), h('dd', null, value)])));
  if (payload.command) root.append(h('h3', null, 'Run it again'), h('pre', {tabindex: 0}, h('code', null, payload.command)));
});
