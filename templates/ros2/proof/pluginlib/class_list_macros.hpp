// Stand-in for pluginlib and class_loader in the proof of generated plugins.
//
// A library registers its classes when it is loaded. `create` makes an object by the name of its class.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

namespace class_loader_stand_in
{

using Key = std::pair<std::string, std::string>;

inline std::map<Key, std::function<void *()>> & factories()
{
  static std::map<Key, std::function<void *()>> map;
  return map;
}

template<class Derived, class Base>
struct Registration
{
  explicit Registration(const std::string & name)
  {
    factories()[{name, typeid(Base).name()}] = [] {return static_cast<Base *>(new Derived);};
  }
};

template<class Base>
std::unique_ptr<Base> create(const std::string & name)
{
  const auto found = factories().find({name, typeid(Base).name()});
  if (found == factories().end()) {
    throw std::runtime_error("no class " + name + " is registered for this interface");
  }
  return std::unique_ptr<Base>(static_cast<Base *>(found->second()));
}

}  // namespace class_loader_stand_in

#define PLUGINLIB_EXPORT_CLASS(derived, base) \
  static const class_loader_stand_in::Registration<derived, base> registration_of_class(#derived);
