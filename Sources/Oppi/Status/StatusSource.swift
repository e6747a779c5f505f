// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The source of `oppi status`: the snapshot if it is up to date, else the servers.
struct StatusSource {
  /// The least time between two queries of the servers.
  static let pause = Duration.seconds(15)

  private let context: Context
  private var asked: (state: Result<FleetStatus, OppiError>, at: EventLoop.Instant)?

  init(_ context: Context) {
    self.context = context
  }

  /// Returns the state of all sessions.
  ///
  /// - Throws: `OppiError` if the servers cannot be determined.
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

  /// The snapshot, limited to the servers of the command; `nil` if it is not up to date.
  private func kept() throws -> FleetStatus? {
    guard let fleet = context.statusFile.load(), fleet.isKept(at: context.now()) else {
      return nil
    }
    guard context.serverChoice != nil else { return fleet }
    let chosen = fleet.only(Set(try context.servers().map(\.id)))
    // The server was paired after the snapshot was written.
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
