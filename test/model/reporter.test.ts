import { describe, expect, it, vi } from 'vitest';
import { EVENT_TYPES, openDiagnostics } from '../../src/model/events/reporter.js';

describe('diagnostics', () => {
  it('hears nothing until a listener attaches, and nothing after the last one has gone', () => {
    const { hears, listen } = openDiagnostics();
    const heard = () => EVENT_TYPES.filter(hears);
    expect(heard()).toEqual([]);
    const ends = [listen('hit', vi.fn()), listen('hit', vi.fn())];
    expect(heard()).toEqual(['hit']);
    for (const end of [...ends, ...ends]) end();
    expect(heard()).toEqual([]);
  });

  it('reports an event to the listeners of its type only, in the order in which they attached', () => {
    const { report, listen } = openDiagnostics();
    const heard: string[] = [];
    listen('hit', () => heard.push('first'));
    listen('joined', () => heard.push('other'));
    listen('hit', () => heard.push('second'));
    report({ type: 'hit' });
    expect(heard).toEqual(['first', 'second']);
  });

  it('tells of a defect in a listener, and the others still hear', () => {
    const defect = vi.fn();
    const { report, listen } = openDiagnostics(defect);
    const second = vi.fn();
    listen('hit', () => {
      throw new Error('no');
    });
    listen('hit', second);
    report({ type: 'hit' });
    expect(second).toHaveBeenCalledOnce();
    expect(defect).toHaveBeenCalledExactlyOnceWith(new Error('no'));
  });

  it('lets a listener end itself while an event is reported', () => {
    const { report, listen, hears } = openDiagnostics();
    const second = vi.fn();
    const end = listen('hit', () => {
      end();
    });
    listen('hit', second);
    report({ type: 'hit' });
    report({ type: 'hit' });
    expect(second).toHaveBeenCalledTimes(2);
    expect(hears('hit')).toBe(true);
  });
});
