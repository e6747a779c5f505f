// SPDX-License-Identifier: MIT

import OppiSystem
import Simulation

/// A watch that runs concurrently with the test.
struct Watching {
  let program: Simulation.Program
  let desktop: VirtualDesktop
  private let task: Task<Simulation.Program.Outcome, Never>

  init(
    _ words: String...,
    in world: World,
    connectTime: Duration = .zero,
    isDesktopRunning: Bool = true,
    environment: [String: String] = [:]
  ) async throws {
    let desktop = VirtualDesktop(
      on: world.loop,
      connectTime: connectTime,
      isRunning: isDesktopRunning
    )
    let program = world.program(notifying: desktop, environment: environment)
    (self.program, self.desktop) = (program, desktop)
    task = Task(executorPreference: world.loop) { await program.run(["watch"] + words) }
    try await world.pass(.seconds(3))
  }

  func end() async -> Simulation.Program.Outcome {
    program.interrupt()
    return await task.value
  }

  /// The summaries of the visible notifications.
  var summaries: [String] { desktop.shown.map(\.summary) }

  /// How often a notification with a summary was shown.
  func count(of summary: String) -> Int { desktop.history.count { $0.summary == summary } }
}
