// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// Where `oppi status` knows from how the sessions stand: the snapshot where somebody keeps it, else
/// the servers themselves.
struct StatusSource {
  /// No server is asked more often.
  static let pause = Duration.seconds(15)

  private let context: Context
  private var asked: (state: Result<FleetStatus, OppiError>, at: EventLoop.Instant)?

  init(_ context: Context) {
    self.context = context
  }

  /// Returns how the sessions stand.
  ///
  /// - Throws: `OppiError` where this program cannot even ask.
  mutating func fleet() async throws -> FleetStatus {
    do {
      if let kept = try kept() { return kept }
    } catch {
      throw OppiError(error)
    }
    if let asked, context.loop.now < asked.at + Self.pause { return try asked.state.get() }
    let state = try await ask()
    asked = (state, context.loop.now)
    return try state.get()
  }

  /// The snapshot of the servers that the command is about; `nil` where nobody keeps one.
  private func kept() throws -> FleetStatus? {
    guard let fleet = context.statusFile.load(), fleet.isKept(at: context.now()) else {
      return nil
    }
    guard context.serverChoice != nil else { return fleet }
    let chosen = fleet.only(Set(try context.servers().map(\.id)))
    // It was paired after the snapshot was taken.
    return chosen.servers.isEmpty ? nil : chosen
  }

  private func ask() async throws -> Result<FleetStatus, OppiError> {
    do {
      return .success(try await context.fleetStatus())
    } catch let error as CancellationError {
      throw error
    } catch {
      return .failure(OppiError(error))
    }
  }
}
