/** What `observeProvider` records of one resolve, into a meter that only keeps the values. */
export async function recordedBy(observeProvider, provider) {
  const recorded = [];
  const keep = (value) => recorded.push(value);
  const instrument = () => ({ record: keep, add: keep });
  const meter = {
    createCounter: instrument,
    createObservableGauge: instrument,
    createHistogram: instrument,
    addBatchObservableCallback: () => undefined,
    removeBatchObservableCallback: () => undefined,
  };
  const stop = observeProvider(provider, { meterProvider: { getMeter: () => meter } });
  await provider.resolveBooleanEvaluation('on', false, {});
  stop();
  return recorded;
}
