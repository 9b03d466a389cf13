from django.http import HttpRequest, HttpResponse
from django.urls import path

from hello.models import Visit


def home(request: HttpRequest) -> HttpResponse:
    Visit.objects.create()
    return HttpResponse(f"<h1>Hello from Django</h1><p>Visit {Visit.objects.count()}.</p>")


urlpatterns = [path("", home)]
