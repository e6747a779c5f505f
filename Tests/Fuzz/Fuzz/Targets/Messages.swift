// SPDX-License-Identifier: MIT

import OppiModel

/// Each line of a server is either understood and shown, or ignored.
func fuzzMessages(_ bytes: [UInt8]) {
  var onlooker = Onlooker()
  onlooker.size.width = 1 + Int(bytes.first ?? 0)
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    guard let message = ServerMessage(bytes: Array(line)) else { continue }
    onlooker.receive(message)
    if onlooker.reducer.isSettling { onlooker.show { reducer, _ in reducer.settle() } }
  }
  onlooker.leave()
}
