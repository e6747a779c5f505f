// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiText
import OppiWire
import Synchronization

/// What a user reads while a session does not start, because its server may be waiting for an answer.
final class StartNotice: Sendable {
  /// The time after which a start is slow.
  private static let delay = Duration.seconds(3)

  private let server: String
  private let loop: EventLoop
  private let reporter: any Reporter
  private let isReported = Mutex(false)

  init(of server: PairedServer, in context: Services) {
    (self.server, loop, reporter) = (server.name, context.loop, context.reporter)
  }

  /// Reports a start that is slow, unless the task is cancelled before.
  func wait() -> Task<Void, Never> {
    Task(executorPreference: loop) {
      guard (try? await self.loop.sleep(until: self.loop.now + Self.delay)) != nil else { return }
      await self.report()
    }
  }

  /// Reports once that the session has not started.
  func report() async {
    let isFirst = isReported.withLock { isReported in
      defer { isReported = true }
      return !isReported
    }
    guard isFirst else { return }
    await reporter.status(
      "the session has not started yet; \(server) may be asking whether to trust the project; "
        + "show the question with: oppi approvals"
    )
  }

  /// Reports a question for trust, which a server asks before the start.
  func report(_ question: UserQuestion) async {
    guard question.asksForTrust else { return }
    let facts = [
      "\(server) asks whether to trust the project",
      HumanRequest.question(question).allowanceNote,
      "answer with: oppi answer \(question.id.asOperand)",
    ]
    await reporter.status(facts.compactMap(\.self).sentence())
  }
}
