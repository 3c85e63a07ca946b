import { compileFeatures } from '../../engine/compiled-features.js';
import { explain } from '../../engine/explain/explain.js';
import { explanationText } from '../../engine/explain/explanation-text.js';
import type { Operation } from '../operations/operation.js';

/** POST /local/v1/namespaces/{namespaceKey}/explanations: `{ "flag": …, "entity": …, "context": { … } }` */
export const explainQuestion: Operation = ({ overrides, semantics }, { path, message }) => {
  const namespace = path('namespaceKey');
  const question = {
    namespace,
    flag: message.string('flag'),
    entity: message.string('entity'),
    attributes: message.stringMap('context'),
  };
  const features = overrides.served(namespace);
  const explanation = explain(features && compileFeatures(features, semantics), question);
  return { explanation, text: explanationText(explanation) };
};
