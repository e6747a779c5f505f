// SPDX-License-Identifier: MIT

/// A run with the session and the agent that it belongs to.
struct Turn {
  let session: LiveSession
  let agent: Agent
  let run: Run
}

/// The run was stopped, or the server ends.
struct Interrupted: Error {}
