// SPDX-License-Identifier: MIT

package import OppiModel

extension StatusMark {
  /// The state of a session; only a finished agent has a mark of success.
  package init(_ session: SessionStatus) {
    let word = session.phase.word
    switch session.phase {
    case .waiting: self.init("!", word, .warning)
    case .failed: self.init("✗", word, .error)
    case .running: self.init("▶", word)
    case .idle where session.outcome == .finished: self.init("✓", word, .success)
    case .idle: self.init("●", word)
    case .done: self.init("●", word, .dim)
    }
  }
}
