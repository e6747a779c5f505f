// SPDX-License-Identifier: MIT

package import EventLoop
import Synchronization

/// Takes the long answers of a server one after another, and at half of the time.
///
/// Each takes many times its size while it is read. A server could send one on each connection, as
/// often as it is asked.
package final class LongAnswers: Sendable {
  /// In bytes; a shorter answer needs no turn.
  static let size = 256 << 10

  private let admission = Admission(surely: 0) { 1 }
  private let pace = Mutex(WorkPace())

  package init() {}

  /// The turn of one answer, which ends with its last reference.
  package final class Turn: Sendable {
    private let answers: LongAnswers
    private let permit: Admission.Permit

    fileprivate init(_ answers: LongAnswers, _ permit: Admission.Permit) {
      (self.answers, self.permit) = (answers, permit)
    }

    /// Counts the work that the answer has caused.
    package func count(_ work: Duration, at now: EventLoop.Instant) {
      answers.pace.withLock { $0.count(work, at: now) }
    }
  }

  func turn(
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(EventLoop.WaitError) -> Turn {
    let permit = try await admission.enter(on: loop, until: deadline)
    if let next = pace.withLock({ $0.next }) {
      do { try await loop.sleep(until: min(next, deadline)) } catch { throw .cancelled }
    }
    return Turn(self, permit)
  }
}
