// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiRendering

/// Shows the state of all sessions, once or repeatedly.
struct StatusLook {
  /// The pause between two reads of the snapshot.
  private static let pause = Duration.seconds(1)
  /// Prints a line at least this often: times change, and only a write detects that the reader is
  /// gone.
  private static let tick = Duration.seconds(15)

  private let format: StatusFormat
  private let presentation: StatusPresentation
  private let context: Context
  private var source: StatusSource
  /// The last reported error of getting the state.
  private var trouble: OppiError?

  init(_ options: Status.Options, in context: Context) {
    format = options.format
    let isPage = options.format == .default && !options.isFollowing
    presentation = options.presentation ?? (isPage ? .expanded : .compact)
    self.context = context
    source = StatusSource(context)
  }

  mutating func once() async throws -> Report {
    let state = try await state()
    var report = StatusReport(state, at: context.now()).report(format, presentation)
    if state.status == .notPaired, !format.isBar {
      report.failure = OppiError(IntentError.notPaired)
    }
    return report
  }

  /// Prints the state, each change of it and the passing of time, until the reader is gone.
  mutating func follow() async throws -> Never {
    var shown: ContentState?
    var next = context.loop.now
    while true {
      let state = try await state()
      if shown != state.timeless || context.loop.now >= next {
        let report = StatusReport(state, at: context.now())
        try await context.console.print(report.step(format, presentation))
        shown = state.timeless
        next = context.loop.now + Self.tick
      }
      try await context.loop.sleep(for: Self.pause)
    }
  }

  /// The current state; a bar also shows errors.
  private mutating func state() async throws -> ContentState {
    do {
      let fleet = try await source.fleet()
      trouble = nil
      return ContentState(fleet, at: context.now())
    } catch let error as OppiError where format.isBar {
      if error != trouble { await context.console.report(error) }
      trouble = error
      return ContentState(failure: error.message)
    }
  }
}
