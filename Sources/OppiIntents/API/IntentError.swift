// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem
package import OppiTransport

/// Why an intent failed.
package enum IntentError: Error {
  /// The server could not be talked to.
  case transport(TransportError, server: String)
  /// The server answered with an error status and, mostly, its own words.
  case refused(status: Int, message: String?, server: String)
  /// The server answered with something that is not its protocol.
  case malformedAnswer(server: String, what: String)
  /// The server refused a message over the stream in its own words.
  case rejected(message: String, server: String)
  /// The server closed the stream in the middle.
  case hungUp(server: String)
  /// No answer came over a stream that stands.
  case noAnswer(server: String)
  case file(FileError)
  case credential(CredentialError, server: String)
  case invite(InviteError)
  /// The server is not the one that the invite names.
  case identityMismatch(server: String)
  case noIdentity(server: String)
  case notPaired
  case unknownServer(name: String, known: [String])
  case unknownWorkspace(name: String, known: [String])
  case ambiguousWorkspace(name: String, candidates: [String])
  case workspaceNeeded(known: [String])
  case unknownSession(name: String)
  case ambiguousSession(name: String, candidates: [String])
}
