// SPDX-License-Identifier: MIT

struct Turn {
  let session: LiveSession
  let agent: Agent
  let run: Run

  /// Whether the agent is still loaded; otherwise the run sends and records nothing.
  var isAlive: Bool { session.agent === agent }
}

/// Thrown when the run is stopped or the server ends.
struct Interrupted: Error {
  enum Place {
    case message
    case pause
    case superseded
  }

  var place = Place.message
}
