// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering

/// Looks at how all sessions stand, once or again and again.
struct StatusLook {
  /// The pause between two looks at the snapshot.
  private static let pause = Duration.seconds(1)
  /// A line is printed at least so often: time goes on, and who prints nothing never learns that
  /// nobody reads it any more.
  private static let tick = Duration.seconds(15)

  private let format: StatusFormat
  private let presentation: StatusPresentation
  private let context: Context
  private var source: StatusSource
  /// What was told last of why this program cannot look.
  private var trouble: OppiError?

  init(_ options: Status.Options, in context: Context) {
    format = options.format
    let isPage = options.format == .default && !options.isFollowing
    presentation = options.presentation ?? (isPage ? .expanded : .compact)
    self.context = context
    source = StatusSource(context)
  }

  /// Looks once.
  mutating func once() async throws -> Report {
    let state = try await state()
    var report = StatusReport(state, at: context.now()).report(format, presentation)
    if state.status == .notPaired, !format.isBar {
      report.failure = OppiError(IntentError.notPaired)
    }
    return report
  }

  /// Prints what there is to see, each change of it, and how time goes on, until nobody reads it.
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

  /// What is to be shown now; a bar is shown also why there is nothing to show.
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
