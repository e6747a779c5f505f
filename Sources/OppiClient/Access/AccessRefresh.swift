// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiSystem
package import OppiText
package import OppiTransport
package import OppiWire

/// Requests an access token for a device: signs a challenge of the server.
struct AccessRefresh {
  let credential: DeviceCredential
  let server: Fingerprint
  let store: AccessTokenStore
  let line: ServerLine

  /// Requests a token with the challenge of the last one or, if that is over or the server has
  /// forgotten it, with a new one.
  ///
  /// A challenge is sent once: after a lost answer, the next refresh requests a new one.
  func perform(after last: AccessToken?) async throws(OppiError) -> AccessToken {
    let current = last?.challenge(at: line.loop.timestamp())
    if let current, let token = try await token(signingStored: current) { return token }
    do {
      do {
        return try await token(signing: try await challenge())
      } catch  where error.isStaleChallenge && current == nil {
        return try await token(signing: try await challenge())
      }
    } catch  where error.reason == .accessRefused(.tooManyChallenges) {
      // One that is over by a clock that was set may be valid, and the answer for it tells whether
      // the device is known.
      guard current == nil, let old = last?.challenge,
        let token = try await token(signingStored: old)
      else { throw error }
      return token
    }
  }

  /// The token for a stored challenge; `nil` if the server has forgotten it, as after a restart.
  private func token(
    signingStored challenge: AccessToken.Challenge
  ) async throws(OppiError) -> AccessToken? {
    // A challenge that stays in the file may be used by another process.
    guard await store.takeChallenge(of: server) else { return nil }
    do {
      return try await token(signing: challenge)
    } catch  where error.isStaleChallenge {
      return nil
    }
  }

  private func challenge() async throws(OppiError) -> AccessToken.Challenge {
    let body = JSONValue.object(["deviceId": .string(deviceID)])
    let answer = try await line.post("/auth/challenge", body)
    guard answer.isSuccess else {
      throw await failure(of: answer, AccessRefusal(challenge: answer.status, answer.error))
    }
    await store.note(of: deviceID, on: server) { $0.clearDoubt() }
    guard var challenge = AccessToken.Challenge(answer: answer.json) else {
      throw .malformedAnswer(server: line.serverName, what: "challenge")
    }
    challenge.expiresAt = line.loop.timestamp().moved(by: AccessToken.Challenge.lifetime)
    return challenge
  }

  private func token(
    signing challenge: AccessToken.Challenge
  ) async throws(OppiError) -> AccessToken {
    let signature = try await signature(of: challenge.message)
    let body: JSONValue = [
      "deviceId": .string(deviceID), "nonce": .string(challenge.nonce),
      "signature": .string(Base64.encodeURL(signature.concatenated)),
    ]
    let answer = try await line.post("/auth/refresh", body)
    guard answer.isSuccess else {
      let refusal = AccessRefusal(refresh: answer.status, answer.error)
      if refusal == .rateLimited { await store.keep(challenge, of: deviceID, on: server) }
      throw await failure(of: answer, refusal)
    }
    guard let token = answer.token(of: deviceID) else {
      throw .malformedAnswer(server: line.serverName, what: "access token")
    }
    return token
  }

  /// The error of a refusal, of which that is noted which holds for the next requests.
  private func failure(
    of answer: ServerLine.Answer,
    _ refusal: AccessRefusal?
  ) async -> OppiError {
    guard let refusal else { return answer.failure(nil) }
    let (now, words) = (line.loop.machineTime(), answer.message)
    let noted = await store.note(of: deviceID, on: server) { standing -> AccessRefusal in
      switch refusal {
      case .rateLimited: standing.limit(for: answer.retryAfter, at: now, words)
      case .tooManyChallenges: return standing.missed(at: now, words)
      case _ where refusal.isLasting: standing.refuse(refusal, words)
      default: standing.clearDoubt()
      }
      return refusal
    }
    return answer.failure(noted ?? refusal)
  }

  private var deviceID: String { credential.deviceID ?? "" }

  private func signature(of message: [UInt8]) async throws(OppiError) -> ECDSASignature {
    let key: [UInt8]
    switch credential.signer {
    case .key(let stored): key = stored
    case .program(let command):
      do {
        return try await KeyProgram(command, on: line.loop).sign(message, until: line.deadline)
      } catch {
        throw .keyProgram(error, server: line.serverName)
      }
    }
    do throws(CryptoError) {
      return try CryptoKey.p256(privateDER: key, using: LibCrypto()).signP256(message)
    } catch .unavailable {
      throw .crypto(.unavailable)
    } catch {
      throw .invalidToken(of: line.serverName, in: "the stored key")
    }
  }
}

package enum DeviceKey {
  /// A new key that is not enrolled yet, and its public part.
  package static func make() throws(CryptoError) -> (DeviceCredential, DevicePublicKey) {
    let key = try CryptoKey.generateP256(using: LibCrypto())
    guard let publicKey = key.p256 else { throw .failed }
    return (DeviceCredential(deviceID: nil, key: try key.privateDER()), publicKey)
  }

  /// The key of a program, which is not enrolled yet, and its public part.
  ///
  /// A signature of the program is checked first, because a failure after the pairing would waste
  /// the invite.
  package static func of(
    _ command: [String],
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(KeyProgram.Failure) -> (DeviceCredential, DevicePublicKey) {
    let program = KeyProgram(command, on: loop)
    let publicKey = try await program.publicKey(until: deadline)
    let sample = Array("oppi:test".utf8)
    let signature = try await program.sign(sample, until: deadline)
    let isOwn: Bool
    do throws(CryptoError) {
      isOwn = try CryptoKey.p256(publicKey, using: LibCrypto()).verifiesP256(signature, of: sample)
    } catch .unavailable {
      // Without OpenSSL, only the server can check it.
      isOwn = true
    } catch {
      throw .noPublicKey
    }
    guard isOwn else { throw .otherKey }
    return (DeviceCredential(deviceID: nil, signer: .program(command)), publicKey)
  }

  /// The public part of a stored key.
  static func publicKey(of device: DeviceCredential) throws(CryptoError) -> DevicePublicKey {
    guard case .key(let der) = device.signer,
      let publicKey = try CryptoKey.p256(privateDER: der, using: LibCrypto()).p256
    else { throw .failed }
    return publicKey
  }
}

extension OppiError {
  fileprivate var isStaleChallenge: Bool { reason == .accessRefused(.staleChallenge) }
}

// MARK: - The routes of tokens, which need no authorization

extension ServerLine {
  /// The time until the deadline, of which nothing may be left.
  var timeLeft: Duration { max(loop.now.duration(to: deadline), .zero) }

  package struct Answer {
    fileprivate let server: String
    package let status: Int
    package let json: JSONValue
    fileprivate let receivedAt: Timestamp
    /// The server's clock, if it reports it.
    fileprivate let serverTime: Timestamp?
    /// The server's words, without secrets.
    fileprivate let message: String?
    /// The time for which the server accepts no request, if it names it.
    fileprivate let retryAfter: Duration?

    package var isSuccess: Bool { (200..<300).contains(status) }
    /// The word for the refusal, for comparison only.
    package var error: String? { json["error"].string }

    /// The issued access token; `nil` if there is none, or its device is not known.
    package func token(of deviceID: String? = nil) -> AccessToken? {
      AccessToken(answer: json, of: deviceID, receivedAt: receivedAt, serverTime: serverTime)
    }

    package func failure(_ refusal: AccessRefusal?) -> OppiError {
      refusal.map { .accessRefused($0, server: server, words: message) }
        ?? .refused(status: status, message: message, server: server)
    }
  }

  package func post(
    _ path: String,
    _ body: JSONValue,
    headers: HTTPHeaders = HTTPHeaders()
  ) async throws(OppiError) -> Answer {
    var request = HTTPRequest(method: "POST", target: path, headers: headers)
    request.headers.append(name: "Accept", value: "application/json")
    request.headers.append(name: "Content-Type", value: "application/json")
    request.body = body.bytes(escapingNonASCII: true)
    // What the request proves itself with.
    for secret in Self.secrets(in: body, headers) { connection.secrets.learn(secret) }
    let response: HTTPResponse
    do {
      response = try await connection.exchange(
        request,
        bodyLimit: Self.bodyLimit,
        issuingSecrets: true,
        until: deadline
      ).response
    } catch {
      throw .transport(error, server: serverName)
    }
    let json = (try? JSONValue(parsing: response.body)) ?? .null
    return Answer(
      server: serverName,
      status: response.status,
      json: json,
      receivedAt: loop.timestamp(),
      // The date is rounded down; a lifetime must not be longer than the server's.
      serverTime: response.headers["Date"].flatMap { Timestamp(httpDate: $0) }?
        .moved(by: .seconds(1)),
      message: json["error"].string.map { connection.secrets.redacted($0).safeLine(limit: 200) },
      retryAfter: response.headers["Retry-After"].flatMap { UInt16($0) }.map { .seconds($0) }
    )
  }

  private static func secrets(in body: JSONValue, _ headers: HTTPHeaders) -> [String] {
    let key = body["devicePublicKey"]
    let members = [
      body["pairingToken"], body["nonce"], body["signature"], key["x"], key["y"],
    ]
    let tokens = headers["Authorization"].map { $0.split(separator: " ").dropFirst() } ?? []
    return (members.compactMap(\.string) + tokens.map(String.init)).filter { !$0.isEmpty }
  }

  /// In bytes; longer than any token.
  private static let bodyLimit = 65_536
}
