// SPDX-License-Identifier: MIT

import EventLoop
import OppiRendering
import OppiSystem

/// What is kept while the external editor has the terminal: news still update the state, but
/// nothing is drawn.
struct EditorVisit {
  /// Keys typed before the editor took over the terminal.
  var keys: [(key: Key, pressed: EventLoop.Instant)] = []
  var lines: [StyledText] = []
  /// Whether the program exits when the editor exits; an open editor is not interrupted.
  var isOver = false
  var failure: (any Error)?

  /// Opens the editor with each text in turn and reports the result, until the task is cancelled.
  static func all<News>(
    _ texts: AsyncStream<String>,
    on terminal: any KeyTerminal,
    in context: Context,
    _ tell: TerminalInputTeller<News>
  ) async {
    for await text in texts {
      do {
        let edited = try await terminal.whileRestored { () async throws(Editor.Failure) in
          try await Editor.edit(text, environment: context.environment, on: context.loop)
        }
        tell(.edited(edited, failure: nil))
      } catch {
        let failure = OppiError(error)
        // The program no longer reads events, so the error is printed here.
        if case .cutOff = error {
          if failure.isWorthTelling { await context.console.report(failure) }
          return
        }
        tell(.edited(nil, failure: failure.message))
      }
    }
  }
}
