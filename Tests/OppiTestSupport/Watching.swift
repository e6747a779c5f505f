// SPDX-License-Identifier: MIT

import OppiSystem
import Simulation

/// A watch that runs concurrently with the test.
struct Watching {
  let program: Simulation.Program
  let desktop: VirtualDesktop
  private let task: Task<Simulation.Program.Outcome, Never>

  /// With a prompt, creates a session with it while the watch runs.
  init(
    _ words: String...,
    in world: World,
    connectTime: Duration = .zero,
    isDesktopRunning: Bool = true,
    environment: [String: String] = [:],
    asking prompt: String? = nil
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
    if let prompt { _ = try await world.session(asking: prompt) }
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
