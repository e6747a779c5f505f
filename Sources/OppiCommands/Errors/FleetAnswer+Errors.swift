// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

extension Fleet.Answer {
  /// Why the server could not be asked; `nil` where it could.
  var error: OppiError? {
    guard case .failure(let error) = result else { return nil }
    return OppiError(error)
  }
}

extension Array {
  /// Why servers could not be asked, by their names.
  func errors<Value>() -> [OppiError] where Element == Fleet.Answer<Value> {
    sorted { $0.server.name < $1.server.name }.compactMap(\.error)
  }
}
