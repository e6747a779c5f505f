// SPDX-License-Identifier: MIT

import EventLoop

/// A cell of the matrix: an invocation with a fault at a moment, or without any fault.
package struct Cell: Sendable {
  /// A fault with its moment.
  package struct Strike: Sendable {
    package var moment: Moment
    package var fault: MatrixFault
    /// Whether the fault recurs at all later moments of the same name.
    package var isLasting = false

    /// The name of the fault, with a suffix if it lasts.
    var name: String { fault.name + (isLasting ? " for good" : "") }

    func hits(_ other: Moment) -> Bool { other == moment || (isLasting && isBefore(other)) }

    /// Whether the other moment is a later occurrence of this moment.
    func isBefore(_ other: Moment) -> Bool {
      other.name == moment.name && other.count > moment.count
    }
  }

  package var invocation: Invocation
  package var strike: Strike?

  package var name: String {
    guard let strike else { return invocation.name }
    return "\(invocation.name) / \(strike.moment.label) / \(strike.name)"
  }

  package struct Result: Sendable {
    /// The exit status with the error codes and states, as shown in the table.
    package var verdict: String
    package var elapsed: Duration
    package var story: [String]
    package var violations: [String]
    /// The moments of the conversation.
    package var moments: [Moment]
  }

  /// The form of the program's output.
  enum Form: CaseIterable {
    case words
    case json
  }

  private static let seed: UInt64 = 1

  /// Plays the cell in both forms on the calling thread; both must have the same exit status.
  package func play(listener: @escaping @Sendable (String) -> Void = { _ in }) -> Result {
    let words = play(in: .words, listener)
    var result = play(in: .json, listener)
    if words.outcome?.status != result.outcome?.status {
      let statuses = [words, result].map { $0.outcome?.status.map(String.init) ?? "none" }
      result.violations.append("status \(statuses[0]) in words, but \(statuses[1]) as JSON")
    }
    return Result(
      verdict: result.outcome?.verdict ?? "did not run",
      elapsed: max(words.outcome?.elapsed ?? .zero, result.outcome?.elapsed ?? .zero),
      story: words.story + result.story,
      violations: words.violations + result.violations,
      moments: result.moments
    )
  }

  private struct Performance {
    var outcome: Program.Outcome?
    var story: [String]
    var violations: [String]
    var moments: [Moment]
  }

  private func play(in form: Form, _ listener: @escaping @Sendable (String) -> Void) -> Performance
  {
    let (world, played) = World.play(seed: Self.seed, listener: listener) { world in
      try await perform(in: world, form)
    }
    return Performance(
      outcome: played?.outcome,
      story: world.story,
      violations: world.violations,
      moments: played?.moments ?? []
    )
  }

  private func perform(
    in world: World,
    _ form: Form
  ) async throws -> (outcome: Program.Outcome, moments: [Moment]) {
    let scene = Scene(world)
    let stage = try await invocation.begin(scene, in: world)
    let program = world.program()
    scene.begin(program, with: stage.server, strike)
    let outcome = await program.run((form == .json ? ["--json"] : []) + stage.words)
    world.set(.none)
    world.checkLeavings(of: program)
    let (moments, hasStruck) = await scene.end()
    world.check(strike == nil || hasStruck, "the moment did not occur")
    // Gives the servers time to process what they have received.
    try await world.loop.sleep(for: .seconds(30))
    await CellCheck(cell: self, form: form, stage: stage, world: world, program: program)
      .check(outcome)
    return (outcome, moments)
  }
}
