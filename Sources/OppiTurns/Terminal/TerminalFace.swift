// SPDX-License-Identifier: MIT

package import EventLoop
import OppiClient
package import OppiSystem
import OppiTerminal

package enum TerminalInput<News: Sendable>: Sendable {
  /// Typed bytes, with the time of reading.
  case bytes([UInt8], at: EventLoop.Instant)
  /// No more bytes followed, so an escape sequence is complete.
  case pause
  case inputEnded
  case signal(TerminalEvent)
  case tick
  case news(News)
  /// The external editor exited, with the text or the reason why there is none.
  case edited(String?, failure: String?)
  /// The source of news failed.
  case failed(any Error)
}

/// Sends an input from any task.
package typealias TerminalInputReporter<News: Sendable> = @Sendable (TerminalInput<News>) -> Void

/// The result of handling an input.
package struct TerminalReaction<Effect: Sendable> {
  var effects: [Effect] = []
  /// Whether the program exits.
  var isOver = false
}

/// The exit that the user asked for: after all confirmations, or after a short wait.
package struct PendingExit: Sendable {
  package static let notice = "waiting for confirmation; press again to exit now"
  private static let limit = Duration.seconds(3)

  /// The end of the wait; `nil` unless the user asked.
  private var end: Duration?

  package init() {}

  package var isAsked: Bool { end != nil }

  /// Asks to exit; returns whether to exit at once: nothing is unsettled, or the user asks again.
  package mutating func ask(isUnsettled: Bool, at now: Duration) -> Bool {
    guard end == nil, isUnsettled else { return true }
    end = now + Self.limit
    return false
  }

  /// Whether the wait has ended.
  package func isDue(isUnsettled: Bool, at now: Duration) -> Bool {
    end.map { now >= $0 || !isUnsettled } ?? false
  }

  package mutating func cancel() { end = nil }
}

/// A form of a terminal program: drawn, or line by line.
package protocol TerminalFace<News, Effect> {
  associatedtype News: Sendable
  associatedtype Effect: Sendable

  /// Reports the terminal's input until the task is cancelled or the input ends.
  var source: @Sendable (@escaping TerminalInputReporter<News>) async -> Void { get }

  /// Handles one input.
  ///
  /// - Throws: If the terminal cannot be written to; the error of a failed input.
  mutating func handle(
    _ input: TerminalInput<News>
  ) async throws -> TerminalReaction<Effect>

  /// Restores the terminal; a second call does nothing.
  mutating func restore()
}

extension TerminalFace {
  /// Handles the inputs in order and performs their effects, until the program exits or the task is
  /// cancelled; then restores the terminal.
  ///
  /// `sources` run meanwhile; they and the effects may post inputs, also about their failures: a
  /// source ends only when it is cancelled.
  ///
  /// - Returns: Whether the program exited.
  /// - Throws: As ``handle(_:)``.
  package mutating func run(
    _ inputs: AsyncStream<TerminalInput<News>>,
    _ post: AsyncStream<TerminalInput<News>>.Continuation,
    beside sources: [@Sendable () async throws -> Void],
    perform: (Self, Effect) -> @Sendable () async -> Void
  ) async throws -> Bool {
    defer { restore() }
    return try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      let terminal = source
      group.addTask { await terminal { post.yield($0) } }
      for source in sources {
        group.addTask {
          do {
            try await source()
          } catch is CancellationError {
            // The program has exited.
          }
        }
      }
      for await input in inputs {
        let reaction = try await handle(input)
        for effect in reaction.effects {
          let action = perform(self, effect)
          group.addTask { await action() }
        }
        if reaction.isOver { return true }
      }
      return false
    }
  }
}

/// What is kept while the external editor has the terminal: news still update the state, but
/// nothing is drawn.
struct EditorVisit {
  /// Keys typed before the editor took over the terminal.
  var keys: [(key: Key, pressed: EventLoop.Instant)] = []
  /// Whether the program exits when the editor exits; an open editor is not interrupted.
  var isOver = false
  var failure: (any Error)?

  /// Opens the editor with each text in turn and reports the result, until the task is cancelled.
  static func all<News>(
    _ texts: AsyncStream<String>,
    on terminal: any KeyTerminal,
    in context: Context,
    _ report: TerminalInputReporter<News>
  ) async {
    for await text in texts {
      do {
        let edited = try await terminal.whileRestored { () async throws(Editor.Failure) in
          try await Editor.edit(text, environment: context.environment, on: context.loop)
        }
        report(.edited(edited, failure: nil))
      } catch {
        let failure = OppiError(error)
        // The program no longer reads events, so the error is printed here.
        if case .cutOff = error {
          if failure.isWorthReporting { await context.output.report(failure) }
          return
        }
        report(.edited(nil, failure: failure.message))
      }
    }
  }
}
