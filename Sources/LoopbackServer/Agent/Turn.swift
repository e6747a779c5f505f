// SPDX-License-Identifier: MIT

/// A run with the session and the agent that it belongs to.
struct Turn {
  let session: LiveSession
  let agent: Agent
  let run: Run

  /// Whether the agent is still loaded; a run that outlived it says and writes nothing.
  var isAlive: Bool { session.agent === agent }
}

/// The run was stopped, or the server ends.
struct Interrupted: Error {
  /// Where the run was.
  enum Place {
    case message
    case pause
    /// Another run took its place.
    case superseded
  }

  var place = Place.message
}
