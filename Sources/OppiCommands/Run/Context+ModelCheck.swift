// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

/// What servers say of a model's name before anything is asked.
enum ModelStanding: Sendable {
  /// A server offers it, or has no list to check it against.
  case offered
  /// Every server offers others.
  case unknown(OppiError)
  /// A server that may offer it has not said so.
  case unchecked(IntentError)
}

extension Context {
  /// Looks a model up in the last lists of some servers, and asks those that lack it.
  ///
  /// - Throws: If the task was cancelled.
  func standing(
    ofModel id: String,
    on servers: [PairedServer]
  ) async throws(CancellationError) -> ModelStanding {
    let catalog = intents.modelCatalog
    let answers = try await fleet(of: servers).answers {
      (client, server, deadline) throws(IntentError) in
      try await catalog.check(id, of: server, over: client, until: deadline)
    }
    var standing = ModelStanding.offered
    for answer in answers {
      guard case .failure(let error) = answer.result else { return .offered }
      if case .unchecked = standing { continue }
      if case .unknownModel = error {
        standing = .unknown(OppiError(error))
      } else {
        standing = .unchecked(error)
      }
    }
    return standing
  }

  /// Warns of a model that could not be checked.
  func warn(ofUncheckedModel why: any Error) async {
    await console.warn("the model could not be checked: \(OppiError(why).message)")
  }
}
